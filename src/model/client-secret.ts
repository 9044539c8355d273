export interface ClientSecret {
  /** A GUID in lower case, any other id as sent. */
  readonly clientId: string
  readonly name: string | null
  readonly role: string | null
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

export interface SecretView extends ClientSecret {
  /** True for tenantwatch's own API client. */
  readonly own: boolean
}
