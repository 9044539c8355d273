/** How often each event happens in one step of life, as an expected number a tenant. */
export interface LifeRates {
  readonly invitationsAccepted: number
  readonly usersJoining: number
  /** Users that appear among those of old: behind every cursor that passed their place. */
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
