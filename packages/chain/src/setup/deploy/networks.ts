// Contracts already deployed on the usual networks, and the confirmations used there.
import type { Hex } from '@presage/protocol';

export interface KnownNetwork {
  readonly chainId: number;
  readonly name: string;
  readonly explorerUrl: string;
  /** Native USDC: 6 decimals, EIP-2612 permits with name(), version() and DOMAIN_SEPARATOR(). */
  readonly stablecoin: Hex;
  /** UMA's OptimisticOracleV3; absent if UMA lists none. */
  readonly umaOracle?: Hex;
  readonly pyth: Hex;
  readonly confirmations: number;
  readonly minTipGwei: number;
  readonly maxFeeGwei: number;
}

/** Sources of the columns; `presage deploy` asks the contracts themselves before it sends anything. */
export const NETWORK_SOURCES = {
  stablecoin: "Circle's list of USDC contract addresses (developers.circle.com)",
  umaOracle: "UMA's published deployments, as in the package @uma/contracts-node 0.4.28",
  pyth: "Pyth's list of price feed contracts on EVM networks (docs.pyth.network)",
} as const;

const PYTH_COMMON = '0xff1a0f4744e8582DF1aE09D5611b887B6a12925C';

export const KNOWN_NETWORKS: readonly KnownNetwork[] = [
  {
    chainId: 1,
    name: 'Ethereum',
    explorerUrl: 'https://etherscan.io',
    stablecoin: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    umaOracle: '0xfb55F43fB9F48F63f9269DB7Dde3BbBe1ebDC0dE',
    pyth: '0x4305FB66699C3B2702D4d05CF36551390A4c69C6',
    confirmations: 12,
    minTipGwei: 0.05,
    maxFeeGwei: 300,
  },
  {
    chainId: 10,
    name: 'Optimism',
    explorerUrl: 'https://optimistic.etherscan.io',
    stablecoin: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
    umaOracle: '0x072819Bb43B50E7A251c64411e7aA362ce82803B',
    pyth: PYTH_COMMON,
    confirmations: 10,
    minTipGwei: 0.001,
    maxFeeGwei: 10,
  },
  {
    chainId: 137,
    name: 'Polygon',
    explorerUrl: 'https://polygonscan.com',
    stablecoin: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    umaOracle: '0x5953f2538F613E05bAED8A5AeFa8e6622467AD3D',
    pyth: PYTH_COMMON,
    confirmations: 20,
    // The network's own minimum.
    minTipGwei: 25,
    maxFeeGwei: 2_000,
  },
  {
    chainId: 8453,
    name: 'Base',
    explorerUrl: 'https://basescan.org',
    stablecoin: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    umaOracle: '0x2aBf1Bd76655de80eDB3086114315Eec75AF500c',
    pyth: '0x8250f4aF4B972684F7b336503E2D6dFeDeB1487a',
    confirmations: 10,
    minTipGwei: 0.001,
    maxFeeGwei: 10,
  },
  {
    chainId: 42_161,
    name: 'Arbitrum One',
    explorerUrl: 'https://arbiscan.io',
    stablecoin: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    umaOracle: '0xa6147867264374F324524E30C02C331cF28aa879',
    pyth: PYTH_COMMON,
    // Blocks take a quarter of a second.
    confirmations: 20,
    minTipGwei: 0,
    maxFeeGwei: 10,
  },
  {
    chainId: 80_002,
    name: 'Polygon Amoy',
    explorerUrl: 'https://amoy.polygonscan.com',
    stablecoin: '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582',
    umaOracle: '0xd8866E76441df243fc98B892362Fc6264dC3ca80',
    pyth: '0x2880aB155794e7179c9eE2e38200202908C17B43',
    confirmations: 5,
    minTipGwei: 25,
    maxFeeGwei: 2_000,
  },
  {
    chainId: 84_532,
    name: 'Base Sepolia',
    explorerUrl: 'https://sepolia.basescan.org',
    stablecoin: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    umaOracle: '0x0F7fC5E6482f096380db6158f978167b57388deE',
    pyth: '0xA2aa501b19aff244D90cc15a4Cf739D2725B5729',
    confirmations: 5,
    minTipGwei: 0.001,
    maxFeeGwei: 10,
  },
  {
    chainId: 421_614,
    name: 'Arbitrum Sepolia',
    explorerUrl: 'https://sepolia.arbiscan.io',
    stablecoin: '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d',
    umaOracle: '0x1037A21a30aEfF90c269b01c3933eB9a5285d9b8',
    pyth: '0x4374e5a8b9C22271E9EB878A2AA31DE97DF15DAF',
    confirmations: 5,
    minTipGwei: 0,
    maxFeeGwei: 10,
  },
  {
    chainId: 11_155_111,
    name: 'Sepolia',
    explorerUrl: 'https://sepolia.etherscan.io',
    stablecoin: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238',
    umaOracle: '0xFd9e2642a170aDD10F53Ee14a93FcF2F31924944',
    pyth: '0xDd24F84d36BF92C65F92307595335bdFab5Bbd21',
    confirmations: 3,
    minTipGwei: 0.05,
    maxFeeGwei: 300,
  },
  {
    chainId: 11_155_420,
    name: 'OP Sepolia',
    explorerUrl: 'https://sepolia-optimism.etherscan.io',
    stablecoin: '0x5fd84259d66Cd46123540766Be93DFE6D43130D7',
    pyth: '0x0708325268dF9F66270F1401206434524814508b',
    confirmations: 5,
    minTipGwei: 0.001,
    maxFeeGwei: 10,
  },
];

/** The same address on every one of these networks, and on hundreds of others. */
export const MULTICALL3: Hex = '0xcA11bde05977b3631167028862bE2a173976CA11';

export function findNetwork(chainId: number): KnownNetwork | undefined {
  return KNOWN_NETWORKS.find((network) => network.chainId === chainId);
}
