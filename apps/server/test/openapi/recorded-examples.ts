// Every example of the published document, sent as it stands to a fresh sandbox in the order it states, is answered as shown.
import { poll } from '@presage/runtime';
import type { TestClient } from '@presage/testkit';
import { expect } from 'vitest';
import { createBearer } from './bearer.ts';
import type { DocumentedOperation, PublishedDocument, RecordedRequest } from './published-api.ts';
import { differenceOf, valueAt } from './recorded-exchange.ts';

interface Step extends RecordedRequest {
  readonly operation: DocumentedOperation;
}

/** A read shows what was done a moment ago as soon as the chain and the view have it. */
const PATIENCE_MS = 30_000;
const MOST_FAULTS = 3;

export async function expectRecordedAnswers(client: TestClient, document: PublishedDocument): Promise<void> {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const steps = operations
    .flatMap((operation): Step[] => (operation['x-recorded'] ?? []).map((each) => ({ ...each, operation })))
    .sort((a, b) => a.step - b.step);
  expect(steps.map(({ step }) => step)).toEqual(steps.map((_, index) => index + 1));
  const answers = new Map<string, unknown>();
  const faults: string[] = [];
  for (const step of steps) {
    const { answer, fault } = await play(client, step, answers);
    answers.set(step.example, answer);
    if (fault === undefined) continue;
    faults.push(`${step.step} ${step.example}: ${fault}`);
    // The examples that build on it would be wrong as well, and each read would be waited for.
    if (faults.length === MOST_FAULTS) break;
  }
  expect(faults).toEqual([]);
  expect(steps.length).toBeGreaterThan(70);
  process.stderr.write(`${steps.length} examples were answered as shown\n`);
}

async function play(client: TestClient, step: Step, answers: ReadonlyMap<string, unknown>) {
  const { request, status, example, operation, token } = step;
  const replaced = (text: string) =>
    (step.from ?? []).reduce(
      (all, { text: shown, of, at }) => all.replaceAll(shown, String(valueAt(answers.get(of), at))),
      text,
    );
  const [method = '', path = ''] = replaced(request).split(' ');
  const body = operation.requestBody?.content['application/json']?.examples?.[example];
  const text = body === undefined ? undefined : replaced(JSON.stringify(body.value));
  const shown = operation.responses[status]!.content!['application/json']!.examples![example]!.value;
  const key = answers.get('registerApiKey') as { api_key_id: string; api_private_key: string };
  const send = async () => {
    const headers = {
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...(token && { authorization: createBearer({ id: key.api_key_id, privateKey: key.api_private_key }) }),
    };
    const got = await client.send<unknown>(method, path, { headers, ...(text !== undefined && { text }) });
    const fault =
      got.status === status
        ? differenceOf({ id: operation.operationId, answer: shown }, got.body)
        : `${got.status} ${JSON.stringify(got.body)}`;
    return { answer: got.body, fault };
  };
  let last = await send();
  const isAsShown = async () => {
    if (last.fault !== undefined) last = await send();
    return last.fault === undefined;
  };
  if (method === 'GET') await poll(isAsShown, { timeoutMs: PATIENCE_MS });
  return last;
}
