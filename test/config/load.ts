import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type LoadedSettings, loadSettings } from '../../src/config/load-settings.ts'
import { ConfigError } from '../../src/config/mistakes.ts'
import type { Environment } from '../../src/config/probes.ts'
import { selfSigned } from '../support/certificate.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { fakeCatalogue } from './fake-catalogue.ts'

/** Every secret that the tests hand in holds this text, so that none may ever be printed. */
export const canary = 's3cr3t-canary'

export const env: Environment = { ACME_TOKEN: canary, GLOBEX_TOKEN: canary, EMPTY_TOKEN: '' }

export interface Files {
  readonly [path: string]: string
}

/** Loads in a folder with these files. */
export function load(files: Files, variables: Environment = env, file?: string): LoadedSettings {
  const cwd = temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
  return loadSettings({ file, env: variables, catalogue: fakeCatalogue, cwd, purpose: 'request' })
}

const certificate = selfSigned('127.0.0.1').cert

/** Loads a text as the configuration file. */
export function loadText(text: string, variables: Environment = env): LoadedSettings {
  return load({ 'a.yaml': text, 'token.txt': canary, 'ca.pem': certificate }, variables, 'a.yaml')
}

/** The mistakes of a configuration as `line code key`; none when it loads. */
export function mistakesOf(run: () => unknown): readonly string[] {
  try {
    run()
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes.map(({ line, code, key }) => `${line} ${code} ${key}`)
    throw error
  }
}

/** The problems of a text; none when it loads. */
export function problemsOf(run: () => unknown): readonly string[] {
  try {
    run()
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}
