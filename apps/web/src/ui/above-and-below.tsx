// The two halves of a drawing, above and below a level, as clip paths `<id>u` and `<id>d`.
import type { Size } from '../state/use-size.ts';

interface HalvesProps {
  readonly id: string;
  readonly level: number;
  readonly size: Size;
}

export function AboveAndBelow({ id, level, size: { width, height } }: HalvesProps) {
  return (
    <>
      <clipPath id={`${id}u`}>
        <rect x="0" y="0" width={width} height={Math.max(0, level)} />
      </clipPath>
      <clipPath id={`${id}d`}>
        <rect x="0" y={level} width={width} height={Math.max(0, height - level)} />
      </clipPath>
    </>
  );
}
