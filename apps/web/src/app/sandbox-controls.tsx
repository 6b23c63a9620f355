// The sandbox's controls; their script is loaded when they are opened.
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
