// A child for the tests of those who keep children: refuses, obeys, crashes some time after it was ready, or takes all memory.
const [behaviour] = process.argv.slice(2);

if (behaviour === 'refuses') {
  process.stderr.write('There is no port for me.\nUse another.\n');
  process.exit(3);
}
process.on('SIGTERM', () => process.exit(0));
process.stdout.write(
  'a line for people\n{"type":"progress","step":"warming up"}\n{"type":"ready","url":"http://127.0.0.1:1234"}\n',
);
process.stderr.write('{"level":40,"msg":"a warning"}\n');
if (behaviour === 'crashes') {
  process.stderr.write('Error: all is lost\n');
  setTimeout(() => process.exit(7), 20);
} else if (behaviour === 'grows') {
  const kept: number[][] = [];
  setInterval(() => kept.push(Array.from({ length: 200_000 }, (_, index) => index + 0.5)), 1);
} else setInterval(() => undefined, 60_000);
