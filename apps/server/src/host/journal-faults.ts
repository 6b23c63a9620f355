// Reasons why the journal takes no records: stored when they change, so that requests read a field instead of asking the disk and every partition.

/** `disk_full`: too little room is left. `write_failed`: a write failed and the journal is being reopened. */
export type JournalFault = 'disk_full' | 'write_failed';

export class JournalFaults {
  readonly #present = new Set<JournalFault>();
  /** Undefined while records can be written. A full disk hides a failed write, which it usually causes. */
  current: JournalFault | undefined;

  has(fault: JournalFault): boolean {
    return this.#present.has(fault);
  }

  note(fault: JournalFault, isPresent: boolean): void {
    if (isPresent) this.#present.add(fault);
    else this.#present.delete(fault);
    this.current = this.has('disk_full') ? 'disk_full' : [...this.#present][0];
  }
}
