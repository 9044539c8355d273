/** Where a secret text comes from. */
export type SecretOrigin =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly command: readonly string[] }

/** OAuth 2.0 client credentials. */
export interface OAuth2Origin {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: { readonly env: string } | { readonly file: string }
  readonly scope: string | null
}

export interface AuthOptions {
  /** Name of the header that carries the token. */
  readonly header: string
  /** Word before the token; empty for the bare token. */
  readonly scheme: string
  readonly token: SecretOrigin | { readonly oauth2: OAuth2Origin }
}
