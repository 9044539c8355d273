import { type LoadedSettings, loadSettings } from '../../src/config/load-settings.ts'
import type { Environment } from '../../src/config/source.ts'
import { ConfigError } from '../../src/config/yaml/errors.ts'
import { selfSigned } from '../support/certificate.ts'
import { fakeCatalogue } from './fake-catalogue.ts'

/** Every secret that the tests hand in holds this text, so that none may ever be printed. */
export const canary = 's3cr3t-canary'

export const env: Environment = { ACME_TOKEN: canary, GLOBEX_TOKEN: canary, EMPTY_TOKEN: '' }

export interface Files {
  readonly [path: string]: string
}

/** Loads with files that exist in memory alone, below /work-dir. */
export function load(files: Files, variables: Environment = env, file?: string): LoadedSettings {
  const contentOf = (path: string) => files[path.replace('/work-dir/', '')]
  return loadSettings({
    file,
    env: variables,
    catalogue: fakeCatalogue,
    cwd: '/work-dir',
    exists: (path) => contentOf(path) !== undefined,
    readFile(path) {
      const content = contentOf(path)
      if (content === undefined) throw Object.assign(new Error('gone'), { code: 'ENOENT' })
      return content
    },
  })
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
