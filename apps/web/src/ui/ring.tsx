// A ring that shows a fraction, such as the time left of a window; also the logo.
import type { ReactNode } from 'react';

interface RingProps {
  /** Filled fraction from 0 to 1, clockwise from the top. */
  readonly share: number;
  readonly size: number;
  readonly stroke?: number;
  readonly isWarn?: boolean;
  readonly children?: ReactNode;
}

export function Ring({ share, size, stroke = 3.5, isWarn = false, children }: RingProps) {
  const radius = (size - stroke) / 2;
  const length = 2 * Math.PI * radius;
  const circle = { cx: size / 2, cy: size / 2, r: radius, strokeWidth: stroke };
  return (
    <span className={isWarn ? 'ring is-warn' : 'ring'}>
      <svg className="ring-svg" width={size} height={size} viewBox={`0 0 ${size} ${size}`} aria-hidden="true">
        <circle className="rt" {...circle} />
        <circle
          className="rv"
          {...circle}
          strokeDasharray={`${Math.min(1, Math.max(0, share)) * length} ${length}`}
          transform={`rotate(-90 ${size / 2} ${size / 2})`}
        />
      </svg>
      {children !== undefined && <span>{children}</span>}
    </span>
  );
}
