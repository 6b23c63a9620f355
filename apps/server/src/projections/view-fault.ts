// Raised when a journal record cannot be explained by those before it: a defect, never the database's doing.

export class ViewFault extends Error {
  override readonly name = 'ViewFault';
}
