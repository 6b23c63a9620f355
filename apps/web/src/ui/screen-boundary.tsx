// Keeps the rest of the page working if a screen, or a named part of it, fails to load or render.
import { Component, type ReactNode } from 'react';
import { Failed } from './states.tsx';

interface BoundaryProps {
  /** Name of the part; the whole screen if absent. */
  readonly what?: string;
  readonly children: ReactNode;
}

/** Likely cause: after an update of the service, the old page's scripts that were not loaded yet no longer exist. */
const FAILURE = {
  message: 'The service may have a newer page',
  remedy: 'Trying again loads it.',
  requestId: undefined,
};

export class ScreenBoundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override readonly state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    const { what } = this.props;
    const failed = <Failed what={what ?? 'This screen'} of={{ failure: FAILURE, reload: () => location.reload() }} />;
    if (what !== undefined) return failed;
    return (
      <main id="main" tabIndex={-1} className="page">
        {failed}
      </main>
    );
  }
}
