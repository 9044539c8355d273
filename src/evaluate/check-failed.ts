export class CheckFailed extends Error {
  override readonly name = 'CheckFailed'
}
