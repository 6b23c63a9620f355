// A reason not to run that the person at the terminal can mend: told as it is, without a stack.

export class StartFault extends Error {
  override readonly name = 'StartFault';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
