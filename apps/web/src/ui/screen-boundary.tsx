// Keeps the rest of the page when a screen, or a part that is named, cannot be loaded or drawn.
import { Component, type ReactNode } from 'react';
import { Failed } from './states.tsx';

interface BoundaryProps {
  /** A part of a screen; the whole screen when absent. */
  readonly what?: string;
  readonly children: ReactNode;
}

/** The script of a screen that nobody has opened is gone once the service has a newer page. */
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
