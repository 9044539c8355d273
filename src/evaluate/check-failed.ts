/** An own check has no check result, through its own fault; the message is a sentence for whoever wrote it. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed'
}
