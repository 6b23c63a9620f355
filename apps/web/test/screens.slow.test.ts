// Every screen of the page: its figures, its look, its speed, and what it shows while time passes and the service is killed.
import { QUICK_MARKETS } from '@presage/testkit';
import { CHROMIUM } from '@presage/testkit/chromium';
import { describe } from 'vitest';
import { usePlace } from './place.ts';
import { testFigures } from './screens/figures.ts';
import { testLook } from './screens/look.ts';
import { useScene } from './screens/scene.ts';
import { testSpeed } from './screens/speed.ts';
import { testTime } from './screens/time.ts';

describe.skipIf(CHROMIUM === undefined)('screens', () => {
  const place = usePlace(QUICK_MARKETS);
  testSpeed(place);
  describe('of one wallet', () => {
    const scene = useScene(place);
    testFigures(place, scene);
    testLook(place, scene);
    // Kills the service in the end.
    testTime(place, scene);
  });
});
