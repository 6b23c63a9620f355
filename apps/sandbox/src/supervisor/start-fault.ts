// A start error that the person at the terminal can fix; printed without a stack.

export class StartFault extends Error {
  override readonly name = 'StartFault';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
