// The sandbox's controls, whose script is loaded when somebody opens them.
import { lazy, Suspense } from 'react';
import { ScreenBoundary } from '../ui/screen-boundary.tsx';
import { Skeleton } from '../ui/states.tsx';

const SandboxPanel = lazy(async () => ({ default: (await import('./lazy-screens.ts')).SandboxPanel }));

export function SandboxControls() {
  return (
    <ScreenBoundary what="The sandbox">
      <Suspense fallback={<Skeleton rows={16} />}>
        <SandboxPanel />
      </Suspense>
    </ScreenBoundary>
  );
}
