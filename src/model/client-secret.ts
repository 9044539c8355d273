/** The secret of one API client, as far as it may be known: when it ends. */
export interface ClientSecret {
  /** A GUID in lower case, any other id as sent. */
  readonly clientId: string
  readonly name: string | null
  readonly role: string | null
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** The same, as the page lists it. */
export interface SecretView extends ClientSecret {
  /** True for the API client that the daemon itself is. */
  readonly own: boolean
}
