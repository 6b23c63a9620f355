// The figures that the ticket's button names, read back from its text.
import { parseMillionths } from '@presage/protocol';

/** In millionths; undefined where the button does not name them. */
export interface ButtonFigures {
  readonly text: string;
  readonly dollars: bigint | undefined;
  readonly shares: bigint | undefined;
  readonly price: bigint | undefined;
}

export function readButton(text: string): ButtonFigures {
  const units = (found: RegExpExecArray | null) => parseMillionths(found?.[1]?.replaceAll(',', '') ?? '');
  const price = units(/(?:at|ask|bid) ([\d.]+)¢/i.exec(text));
  return {
    text,
    dollars: units(/\$([\d,]+(?:\.\d+)?)/.exec(text)),
    shares: units(/(?:sell|¢ for) ([\d,]+(?:\.\d+)?) /i.exec(text)),
    price: price === undefined ? undefined : price / 100n,
  };
}

/** The least that so many of the button's shares may bring: by its price if it names one, otherwise by their part of its dollars. */
export function leastOf({ dollars = 0n, shares = 1n, price }: ButtonFigures, sold: bigint): bigint {
  return price === undefined ? (dollars * sold) / shares : (price * sold) / 1_000_000n;
}
