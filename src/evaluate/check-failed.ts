/** An own check failed because of its query or file; the message is for its author. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed'
}
