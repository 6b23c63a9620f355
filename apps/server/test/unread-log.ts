// A process that logs and reports as the service does, told over its standard input when to end with a fatal line.
import { sleep } from '@presage/runtime';
import { openServiceLog } from '../src/log/open.ts';

const log = openServiceLog('info');
log.info({}, 'it runs');
process.stdin.once('data', async () => {
  log.info({}, 'nobody reads this');
  process.stdout.write('nor this\n');
  await sleep(100);
  log.fatal({}, 'nor this');
  process.exit(3);
});
