// The name of a partition: short, ASCII, safe as a directory name and in a fixed-width header field.

export const PARTITION_NAME_BYTES = 24;

const NAME = /^[a-z0-9][a-z0-9-]{0,23}$/;

export function isPartitionName(name: string): boolean {
  return NAME.test(name);
}

export function assertPartitionName(name: string): void {
  if (!isPartitionName(name)) {
    throw new RangeError(`"${name}" is not a partition name: 1 to 24 of a-z, 0-9 and "-", such as m0 or chain-31337.`);
  }
}
