// How long a connection may stay silent: the fewer places are left, the shorter.
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { ConnectionTable } from '../../src/api/connection-table.ts';

const PLACES = 20;
const SILENT_MS = 1_000;

function openTable() {
  let nowMs = 0;
  const table = new ConnectionTable(PLACES, SILENT_MS, () => nowMs);
  const sockets: Socket[] = [];
  return {
    table,
    sockets,
    comeAt: (ms: number) => {
      nowMs = ms;
      const socket = new Socket();
      sockets.push(socket);
      table.add(socket);
      return socket;
    },
    closed: () => sockets.filter(({ destroyed }) => destroyed).length,
  };
}

it('takes a silent connection for as long as its headers may take while half of the places are free', () => {
  const { comeAt, closed } = openTable();
  for (let count = 0; count < PLACES / 2; count++) comeAt(0);
  comeAt(SILENT_MS * 10);
  expect(closed()).toBe(0);
});

it('ends silent connections the sooner the fewer places are left, and never one that has asked', () => {
  const { table, sockets, comeAt, closed } = openTable();
  for (let count = 0; count < 15; count++) comeAt(0);
  table.noteBusy(sockets[0]!);
  table.noteIdle(sockets[0]!);
  // A quarter of the places is free: half of the time is left.
  comeAt(SILENT_MS / 2 - 1);
  expect(closed()).toBe(0);
  comeAt(SILENT_MS / 2);
  expect(closed()).toBe(14);
  expect(sockets[0]?.destroyed).toBe(false);
});

it('leaves silent ones a tenth of the time when all places are taken', () => {
  const { sockets, comeAt, closed } = openTable();
  for (let count = 0; count < PLACES; count++) comeAt(0);
  // The address that holds all of them is not let in before that.
  expect(comeAt(SILENT_MS / 10 - 1).destroyed).toBe(true);
  expect(closed()).toBe(1);
  expect(comeAt(SILENT_MS / 10).destroyed).toBe(false);
  expect(sockets.slice(0, PLACES).every(({ destroyed }) => destroyed)).toBe(true);
});
