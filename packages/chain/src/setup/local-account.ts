// An account of a key in this process, on native curves: the wallet library's own takes a tenth of the service's start to set up.
import { createECDH } from 'node:crypto';
import type { Hex } from '@presage/protocol';
import { openDigestSigner, type SignDigest } from '@presage/protocol/digest-signer';
import {
  type Address,
  hashMessage,
  hashTypedData,
  keccak256,
  type LocalAccount,
  parseSignature,
  serializeTransaction,
} from 'viem';
import { publicKeyToAddress, toAccount } from 'viem/accounts';

interface LocalKey {
  readonly address: Address;
  readonly privateKey: Hex;
}

/** Throws for zero, and for what is not below the order of the curve. */
export function toKeyAddress(privateKey: Hex): Address {
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(privateKey.slice(2), 'hex');
  return publicKeyToAddress(`0x${curve.getPublicKey('hex')}`);
}

/** Signs the same bytes as the wallet library would, since both choose nonces by RFC 6979. */
export function toLocalAccount({ address, privateKey }: LocalKey): LocalAccount {
  let signer: Promise<SignDigest> | undefined;
  const sign = async (digest: Hex): Promise<Hex> => {
    signer ??= openDigestSigner(privateKey);
    return (await signer)(digest);
  };
  return toAccount({
    address,
    sign: ({ hash }) => sign(hash),
    signMessage: ({ message }) => sign(hashMessage(message)),
    signTypedData: (typed) => sign(hashTypedData(typed)),
    signTransaction: async (transaction) => {
      const signature = parseSignature(await sign(keccak256(serializeTransaction(transaction))));
      return serializeTransaction(transaction, signature);
    },
  });
}
