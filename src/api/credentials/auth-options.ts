export type SecretOrigin =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly command: readonly string[] }

export interface OAuth2Origin {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: { readonly env: string } | { readonly file: string }
  readonly scope: string | null
}

export interface AuthOptions {
  readonly header: string
  readonly scheme: string
  readonly token: SecretOrigin | { readonly oauth2: OAuth2Origin }
}
