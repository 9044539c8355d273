/** Expected number of events per tenant and step. */
export interface LifeRates {
  readonly invitationsAccepted: number
  readonly usersJoining: number
  /** New users in the middle of the list, before positions that cursors have passed. */
  readonly usersAppearingInTheMiddle: number
  readonly usersLeaving: number
  readonly mfaChanges: number
  readonly documentsUploaded: number
  readonly documentsUpdated: number
  readonly documentsDeleted: number
  readonly secretsRotated: number
}

export const defaultLifeRates: LifeRates = {
  invitationsAccepted: 0.6,
  usersJoining: 0.7,
  usersAppearingInTheMiddle: 0,
  usersLeaving: 0.3,
  mfaChanges: 0.8,
  documentsUploaded: 0.7,
  documentsUpdated: 0.5,
  documentsDeleted: 0.1,
  secretsRotated: 0.2,
}
