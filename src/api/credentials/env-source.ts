import { SyncError } from '../../model/errors.ts'
import { parseSecret } from './parse-secret.ts'
import type { Secret } from './secret.ts'
import type { SecretSource } from './secret-source.ts'

export type EnvLookup = (name: string) => string | undefined

export function envSource(name: string, lookup: EnvLookup): SecretSource {
  async function current(): Promise<Secret> {
    const text = lookup(name)
    if (text === undefined) {
      throw new SyncError('unauthorized', `Environment variable ${name} is not set`, { hint: `Set ${name}` })
    }
    return parseSecret(text, `Environment variable ${name}`)
  }
  return { renewsIdentity: false, current, glance: current, renew: current, dispose() {} }
}
