// What one check of the doctor found.
export interface Finding {
  readonly check: string;
  /** `odd` is worth a look, but not a fault. */
  readonly verdict: 'good' | 'odd' | 'bad';
  readonly detail: string;
  readonly remedy?: string;
}
