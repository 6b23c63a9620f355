// The outcomes of an event, each with chance, bar and both prices; the ticket trades the chosen one.
import type { EventOutcome, MarketEvent, OutcomeName, UserPosition } from '@presage/sdk';
import { useState } from 'react';
import { ChanceBar } from '../landing/event-card.tsx';
import { percent, shares } from '../lib/format.ts';
import { askTexts } from '../lib/listed.ts';
import { OUTCOMES } from '../lib/outcomes.ts';
import { Button } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';

/** Rows shown at first, because few are read in a list of a hundred; a button shows the others. */
const SHOWN = 12;

export interface OutcomeListProps {
  readonly event: MarketEvent;
  /** Outcomes in the order of the list, which stays while the screen is open. */
  readonly outcomes: readonly EventOutcome[];
  readonly chosen: number;
  /** Colours of the chart's lines, by outcome. */
  readonly colours: ReadonlyMap<number, string>;
  /** The wallet's positions, by market. */
  readonly positions: ReadonlyMap<string, UserPosition>;
  readonly onChoose: (index: number, side?: OutcomeName) => void;
}

export function OutcomeList({ event, outcomes, chosen, colours, positions, onChoose }: OutcomeListProps) {
  const [isAll, setIsAll] = useState(false);
  const shown = isAll ? outcomes : outcomes.slice(0, SHOWN);
  return (
    <Panel id="outcomes" title="Outcomes" note={<Sum outcomes={outcomes} />} testId="outcomes">
      <ul className="outcome-list" data-rows="">
        {shown.map((outcome) => (
          <Row
            key={outcome.index}
            event={event}
            outcome={outcome}
            isChosen={outcome.index === chosen}
            colour={colours.get(outcome.index)}
            position={positions.get(outcome.marketId)}
            onChoose={onChoose}
          />
        ))}
      </ul>
      {shown.length < outcomes.length && (
        <p className="pad">
          <Button look="line" testId="all-outcomes" onClick={() => setIsAll(true)}>
            Show all {outcomes.length}
          </Button>
        </p>
      )}
    </Panel>
  );
}

/** Sum of the chances. More or less than 100% is a profit for a trader who sells or buys all outcomes. */
function Sum({ outcomes }: { readonly outcomes: readonly EventOutcome[] }) {
  if (outcomes.some(({ chance }) => chance === null)) return null;
  const sum = outcomes.reduce((total, { chance }) => total + Number(chance ?? 0), 0);
  return <span data-testid="sum">The chances add up to {(sum / 10_000).toFixed(1)}%</span>;
}

interface RowProps extends Pick<OutcomeListProps, 'event' | 'onChoose'> {
  readonly outcome: EventOutcome;
  readonly isChosen: boolean;
  readonly colour: string | undefined;
  readonly position: UserPosition | undefined;
}

function Row({ event, outcome, isChosen, colour, position, onChoose }: RowProps) {
  const { index, name, chance } = outcome;
  const prices = askTexts(outcome);
  return (
    <li data-testid="outcome" data-index={index} data-chosen={isChosen || undefined}>
      <Button className="outcome-name" data-row="" aria-pressed={isChosen} onClick={() => onChoose(index)}>
        {colour !== undefined && <i style={{ background: `var(${colour})` }} aria-hidden="true" />}
        <span className="clip" title={name}>
          {name}
        </span>
        <Held position={position} />
      </Button>
      <b className="outcome-chance" data-testid="outcome-chance">
        {event.resolved ? <Result event={event} index={index} /> : chance === null ? 'New' : percent(chance)}
      </b>
      {event.status === 'open' &&
        OUTCOMES.map((side) => (
          <Button
            key={side}
            look={`${side.toLowerCase()}-soft`}
            testId={`outcome-${index}-${side}`}
            aria-label={`Buy ${side} of ${name} ${prices[side]}`}
            onClick={() => onChoose(index, side)}
          >
            <span>{side}</span>
            <span>{prices[side]}</span>
          </Button>
        ))}
      <ChanceBar chance={chance} colour={colour} />
    </li>
  );
}

function Held({ position }: { readonly position: UserPosition | undefined }) {
  if (position === undefined) return null;
  const parts = (['YES', 'NO'] as const).flatMap((side) => {
    const held = BigInt(side === 'YES' ? position.yesShares : position.noShares);
    return held > 0n ? [`${shares(held)} ${side}`] : [];
  });
  return parts.length === 0 ? null : <span className="xs t3 held">◆ {parts.join(', ')} yours</span>;
}

function Result({ event, index }: { readonly event: MarketEvent; readonly index: number }) {
  if (event.winningIndex == null) return 'Void';
  const hasWon = event.winningIndex === index;
  return (
    <>
      <Icon name={hasWon ? 'check' : 'cross'} size={14} /> {hasWon ? 'Won' : 'Lost'}
    </>
  );
}
