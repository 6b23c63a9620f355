import { expect, it } from 'vitest';
import { drawCommand } from '../src/typed-command.ts';

it('names the service only if the command line would look elsewhere', () => {
  expect(drawCommand('verify', 'http://127.0.0.1:8080')).toBe('npx presage verify');
  expect(drawCommand('verify', 'http://127.0.0.1:9090')).toBe('npx presage verify --url http://127.0.0.1:9090');
});
