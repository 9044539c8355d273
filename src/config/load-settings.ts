import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import * as z from 'zod'
import { readRegularFileSync } from '../model/process/files.ts'
import { withGeneral, writtenPath } from './inheritance.ts'
import { parseChecks } from './own-checks/own-checks.ts'
import { readFolder } from './own-checks/read-folder.ts'
import { createProbes, noProbes } from './probes.ts'
import { type Catalogue, configurationSchema, type Written } from './schema.ts'
import { type Settings, settingsOf } from './settings.ts'
import {
  applyOverrides,
  type Environment,
  environmentSource,
  findSource,
  fromEnvironment,
  type Source,
  tokenVariableProblem,
} from './source.ts'
import { kindOf, type Locate, locateIn, validate } from './validate.ts'
import { readWebSettings } from './web/load-web-settings.ts'
import { ConfigError, type Mistake, whyUnreadable } from './yaml/errors.ts'
import { formatPath, isMap, valueAt } from './yaml/key-path.ts'
import { readYaml, type YamlFile } from './yaml/yaml-file.ts'

export interface LoadOptions {
  readonly file?: string | undefined
  readonly env: Environment
  readonly catalogue: Catalogue
  readonly cwd?: string
  readonly readFile?: (path: string) => string
  readonly exists?: (path: string) => boolean
  /** Also validates the web configuration file, which only a server needs. */
  readonly checkWeb?: boolean
  /** False for commands that send no requests: variables and files of secrets may be missing. */
  readonly needsSecrets?: boolean
  /**
   * Also reports problems that can be fixed while the daemon runs: empty or prefixed secrets, missing commands, an
   * unreadable folder of own checks.
   */
  readonly strict?: boolean
  /** Checks no file, variable or program that the configuration names, so that a file for another machine is valid. */
  readonly syntaxOnly?: boolean
}

export interface LoadedSettings {
  readonly settings: Settings
  /** The same as it is written in a file, with the defaults. */
  readonly written: Written
  /** Path of the file, or `environment`. */
  readonly source: string
  /** Key or variable of a database path that is ignored, because a URL is set; null = none. */
  readonly ignoredPath: string | null
}

/** docs/install.md#first-configuration. @throws ConfigError with every mistake and its place, without secrets. */
export function loadSettings(options: LoadOptions): LoadedSettings {
  const { env, catalogue, cwd = process.cwd(), readFile = readText, exists = pathExists, syntaxOnly = false } = options
  const needsSecrets = options.needsSecrets !== false && !syntaxOnly
  const source = findSource(options.file, env, (path) => exists(resolve(cwd, path)))
  const name = source.kind === 'file' ? source.path : environmentSource
  const yaml =
    source.kind === 'file'
      ? readYaml(
          name,
          readSource(source, (path) => readFile(resolve(cwd, path))),
        )
      : null
  const { raw, variables, ignoredPath } = yaml === null ? fromEnvironment(env) : applyOverrides(yaml.raw, env)
  const problems: (string | Mistake)[] = [...(yaml?.mistakes ?? [])]
  const missing = yaml === null && needsSecrets ? tokenVariableProblem(env) : undefined
  if (missing !== undefined) problems.push(`environment: ${missing}`)
  if (yaml?.readable === false) throw new ConfigError(problems)
  if (!isMap(raw)) {
    const text = `the file is ${kindOf(raw)}; expected a map of \`key: value\` pairs`
    throw new ConfigError([{ code: 'invalid', key: '', line: 1, text, sentence: `${name}: ${text}` }])
  }

  const folder = valueAt(raw, ['ownChecks', 'folder'])
  const own = readOwnChecks(typeof folder === 'string' ? folder : null, cwd, catalogue)
  const surroundings = { cwd, env, exists, readFile, needsSecrets, strict: options.strict === true, ...own }
  const probes = syntaxOnly ? noProbes : createProbes(surroundings)
  const schema = configurationSchema(own.catalogue, probes)
  const { value: written, mistakes } = validate(schema, withGeneral(raw), locator(yaml, raw, variables))
  problems.push(...mistakes)
  const webConfig = valueAt(raw, ['server', 'webConfig'])
  if (options.checkWeb === true && typeof webConfig === 'string' && exists(resolve(cwd, webConfig)))
    problems.push(...readWebSettings(webConfig, cwd).mistakes)
  if (written === undefined || problems.length > 0) throw new ConfigError(problems)
  const { timeoutSeconds, ...limits } = written.ownChecks
  const settings = settingsOf(written, { ...limits, timeoutMs: timeoutSeconds * 1000, ...own.parsed })
  return { settings, written, source: name, ignoredPath }
}

function locator(yaml: YamlFile | null, raw: unknown, variables: ReadonlyMap<string, string>): Locate {
  return (path, at) => {
    const written = writtenPath(raw, path)
    const name = formatPath(written)
    const variable = variables.get(name)
    if (yaml !== null && variable === undefined) return locateIn(yaml)(written, at)
    return { prefix: 'environment', line: null, order: Number.POSITIVE_INFINITY, name: variable ?? name, path: written }
  }
}

/** An own check is known to the schema by its id; a file that cannot be read leaves the known ids incomplete. */
function readOwnChecks(folder: string | null, cwd: string, catalogue: Catalogue) {
  if (folder === null) return { catalogue, folderProblem: null, parsed: { checks: [], incomplete: false } }
  const read = readFolder(resolve(cwd, folder))
  const parsed = parseChecks(
    read,
    folder,
    catalogue.checks.map(({ id }) => id),
  )
  const own = parsed.checks.map(({ id }) => ({ id, options: z.strictObject({}) }))
  const known = { ...catalogue, checks: [...catalogue.checks, ...own], incomplete: parsed.incomplete }
  return { catalogue: known, folderProblem: 'problem' in read ? read.problem : null, parsed }
}

function readSource({ path, namedBy }: Source & { kind: 'file' }, readFile: (path: string) => string): string {
  try {
    return readFile(path)
  } catch (error) {
    const by = namedBy === 'default' ? '' : `, named by ${namedBy}`
    throw new ConfigError([`Cannot read the configuration file ${path}${by}: ${whyUnreadable(error)}`])
  }
}

function readText(path: string): string {
  return readRegularFileSync(path).toString()
}

function pathExists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // Without permission to stat, the later read reports the error.
    return true
  }
}
