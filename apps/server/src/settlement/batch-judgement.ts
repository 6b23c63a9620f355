// Decides what to do with each fill of a simulated or mined batch: send it, blame it, or try it again. Pure.
import { fillCodes } from '@presage/contracts';
import type { TradeFault } from '../host/host-commands.ts';
import type { FillOutcome } from './batch-outcome.ts';
import { toFault } from './fill-fault.ts';
import type { PlannedFill } from './ports.ts';

export interface Judgement {
  readonly send: readonly PlannedFill[];
  readonly blame: readonly FaultyFill[];
  /** Fills that may settle later. */
  readonly later: readonly FaultyFill[];
  /** Fills that failed behind unmined fills, which may be the reason; nobody is blamed before those are mined. */
  readonly uncertain: readonly PlannedFill[];
}

interface FaultyFill {
  readonly fill: PlannedFill;
  readonly fault: TradeFault;
}

const NOBODY: ReadonlySet<string> = new Set();

/**
 * Judges a simulated batch. A fill after a failed one of the same wallet was simulated on a state that will not occur: it is neither sent
 * nor blamed but simulated again in the next round. The same holds for one that failed while its wallet has an unmined fill. `lost`:
 * wallets with a permit that lost its block and can be mined again.
 */
export function judgeBatch(
  fills: readonly PlannedFill[],
  codes: Uint8Array,
  unmined = NOBODY,
  lost = NOBODY,
): Judgement {
  const judgement: Record<'send' | 'uncertain', PlannedFill[]> & Record<'blame' | 'later', FaultyFill[]> = {
    send: [],
    blame: [],
    later: [],
    uncertain: [],
  };
  const failedWallets = new Set<string>();
  for (const [index, fill] of fills.entries()) {
    const isBehindFailure = touches(fill.trade, failedWallets);
    const code = codes[index] ?? fillCodes.NOT_ATTEMPTED;
    if (code === fillCodes.SETTLED && !isBehindFailure) {
      judgement.send.push(fill);
      continue;
    }
    failedWallets.add(fill.trade.buyer).add(fill.trade.seller);
    if (isBehindFailure || code === fillCodes.SETTLED || isBeyondReach(code, index)) continue;
    const fault = toFault(code);
    if (!fault.isFinal || lost.has(partyAtFault(fill, fault) ?? '')) judgement.later.push({ fill, fault });
    else if (dependsOnFills(fault) && touches(fill.trade, unmined)) judgement.uncertain.push(fill);
    else judgement.blame.push({ fill, fault });
  }
  return judgement;
}

/** Faults that a newer block may have lifted: money, shares and approvals arrive, wallets are deployed, and traders resume. All others are permanent. */
const LIFTABLE: ReadonlySet<number> = new Set([
  fillCodes.BUYER_SIGNATURE,
  fillCodes.BUYER_FUNDS,
  fillCodes.BUYER_BLOCKED,
  fillCodes.BUYER_HALTED,
  fillCodes.SELLER_SIGNATURE,
  fillCodes.SELLER_FUNDS,
  fillCodes.SELLER_SHARE_APPROVAL,
  fillCodes.SELLER_BLOCKED,
  fillCodes.SELLER_HALTED,
  fillCodes.SELLER_WOULD_MINT,
]);

/** Indexes of fills that are blamed for a fault that a newer block may have lifted. */
export function findDoubtful(fills: readonly PlannedFill[], codes: Uint8Array, { blame }: Judgement): number[] {
  const blamed = new Set(blame.map(({ fill }) => fill));
  return [...fills.keys()].filter((index) => blamed.has(fills[index]!) && LIFTABLE.has(codes[index]!));
}

/** Whether the gas of the transaction did not reach the fill, which then waits for the next batch. The first fill is not meant: it would never be reached. */
function isBeyondReach(code: number, index: number): boolean {
  return code === fillCodes.NOT_ATTEMPTED && index > 0;
}

/** A fill with a final execution on chain. */
export interface ExecutedFill {
  readonly buyer: string;
  readonly seller: string;
  readonly outcome: FillOutcome;
  /** Whether, when it was sent, a fill of either wallet was unmined or a permit of theirs unconfirmed; also true if unknown. */
  readonly wasBehindUnmined: boolean;
}

export type Verdict =
  | { readonly kind: 'settled'; readonly minted: number }
  | { readonly kind: 'blamed'; readonly fault: TradeFault }
  /** Sent again; an uncertain one only on a state with every earlier fill of its wallets. */
  | { readonly kind: 'returned'; readonly isUncertain: boolean };

/** Judges executed fills in batch order: a fill that failed behind another failure, in this batch or an earlier one, is blamed on nobody. */
export function judgeExecuted(fills: readonly ExecutedFill[]): Verdict[] {
  const failedWallets = new Set<string>();
  return fills.map((fill) => {
    if (fill.outcome.kind === 'settled') return fill.outcome;
    const isUncertain = fill.wasBehindUnmined || touches(fill, failedWallets);
    failedWallets.add(fill.buyer).add(fill.seller);
    const fault = fill.outcome.kind === 'failed' ? toFault(fill.outcome.code) : undefined;
    if (fault === undefined || !fault.isFinal) return { kind: 'returned', isUncertain: false };
    return isUncertain && dependsOnFills(fault) ? { kind: 'returned', isUncertain } : { kind: 'blamed', fault };
  });
}

/** Whether earlier fills can cause the fault; the end of a market, for example, does not depend on them. */
function dependsOnFills({ faultParty, overfilled }: TradeFault): boolean {
  return faultParty === 'buyer' || faultParty === 'seller' || overfilled !== undefined;
}

function partyAtFault({ trade }: PlannedFill, { faultParty }: TradeFault): string | undefined {
  return faultParty === 'buyer' || faultParty === 'seller' ? trade[faultParty] : undefined;
}

export function touches({ buyer, seller }: { buyer: string; seller: string }, wallets: ReadonlySet<string>): boolean {
  return wallets.has(buyer) || wallets.has(seller);
}
