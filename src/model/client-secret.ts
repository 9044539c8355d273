export interface ClientSecret {
  /** A GUID in lower case, any other id as sent. */
  readonly clientId: string
  readonly name: string | null
  readonly role: string | null
  readonly expiresAt: number
}

export interface SecretView extends ClientSecret {
  readonly own: boolean
}
