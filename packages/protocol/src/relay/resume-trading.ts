// Undoes a halt.
import { HaltInput, readHaltRequest } from './halt-trading.ts';
import { relayOperation, signs } from './operation.ts';

export const resumeTradingOperation = relayOperation({
  name: 'resume-trading',
  id: 'relayResumption',
  summary: 'Undo a halt',
  body: HaltInput,
  read: readHaltRequest,
  signs: ({ owner, ...signature }) => [signs('ResumeTrading', { trader: owner }, signature)],
});
