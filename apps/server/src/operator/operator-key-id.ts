// The id of an operator's key: made from its public half, so that whoever makes a pair knows the id of it.
export function toOperatorKeyId(publicKeyHex: string): string {
  return `op_${publicKeyHex.slice(0, 24)}`;
}
