// A process that logs as the service does, told over its standard input when to end with a fatal line.
import { openServiceLog } from '../src/log/open.ts';

const log = openServiceLog('info');
log.info({}, 'it runs');
process.stdin.once('data', () => {
  log.info({}, 'nobody reads this');
  log.fatal({}, 'nor this');
  process.exit(3);
});
