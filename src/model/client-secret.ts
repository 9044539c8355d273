import { withoutEmails } from './text/without-emails.ts'

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

/** A name or role name may contain an e-mail address. */
export function withoutSecretDetails<T extends Pick<ClientSecret, 'name' | 'role'>>(secret: T): T {
  const { name, role } = secret
  return { ...secret, name: name && withoutEmails(name), role: role && withoutEmails(role) }
}
