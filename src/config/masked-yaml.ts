import { stringify } from 'yaml'
import type { Written, WrittenTenant } from './schema.ts'
import { maskUrl } from './urls.ts'

/** The effective configuration as a file, with possible secrets replaced by `redacted`; can be loaded again. */
export function maskedYaml(written: Written): string {
  const { url } = written.store
  const document = {
    ...written,
    tenants: written.tenants.map(({ api, auth, ...tenant }) => ({
      ...tenant,
      auth: { ...auth, token: maskedToken(auth.token) },
      ...(api !== undefined && { api: maskedApi(api) }),
    })),
    api: maskedApi(written.api),
    store: url === null ? { path: written.store.path } : { url: maskedToken(url) },
  }
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })
}

/** Masks arguments of commands and queries of URLs, which may contain secrets; shows names of variables and files. */
function maskedToken(token: WrittenTenant['auth']['token']): object {
  if ('oauth2' in token) return { oauth2: { ...token.oauth2, tokenUrl: maskUrl(token.oauth2.tokenUrl) } }
  if (!('command' in token)) return token
  return { command: token.command.map((part, index) => (index === 0 ? part : '[redacted]')) }
}

function maskedApi({ proxy, ...api }: Written['api']): object {
  return { ...api, proxy: proxy === null ? null : maskUrl(proxy) }
}
