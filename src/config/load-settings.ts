import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { assertRegularFile, readRegularFileSync, UnfitFile } from '../model/process/regular-file.ts'
import { readFolder } from './own-checks/read-folder.ts'
import { readSettings } from './read-settings.ts'
import type { Catalogue, Settings } from './settings.ts'
import {
  applyOverrides,
  type Environment,
  environmentSource,
  type FromEnvironment,
  findSource,
  fromEnvironment,
  type Source,
  tokenVariableProblem,
} from './source.ts'
import { readWebSettings } from './web/load-web-settings.ts'
import type { Context } from './yaml/context.ts'
import { ConfigError, whyUnreadable } from './yaml/errors.ts'
import { createReport, formatPath, kindOf, type Locate } from './yaml/report.ts'
import { isMapOrEmpty } from './yaml/section.ts'
import { locateIn, readYaml, type YamlFile } from './yaml/yaml-file.ts'

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
  /** Path of the file, or `environment`. */
  readonly source: string
  /** Key or variable of a database path that is ignored, because a URL is set; null = none. */
  readonly ignoredPath: string | null
}

/** docs/operations.md#first-start. @throws ConfigError with every problem and its place, without secrets. */
export function loadSettings(options: LoadOptions): LoadedSettings {
  const { env, catalogue, cwd = process.cwd(), readFile = readText, exists = pathExists, syntaxOnly = false } = options
  const needsSecrets = options.needsSecrets !== false && !syntaxOnly
  const existsHere = (path: string) => exists(resolve(cwd, path))
  const source = findSource(options.file, env, existsHere)
  const name = source.kind === 'file' ? source.path : environmentSource
  const yaml = source.kind === 'file' ? readYaml(readSource(source, (path) => readFile(resolve(cwd, path)))) : undefined
  const written = yaml === undefined ? fromEnvironment(env) : applyOverrides(yaml.raw, env)
  const report = createReport(locator(name, yaml, written))
  const problems = (yaml?.problems ?? []).map(({ position, sentence }) => `${name}:${position.text}: ${sentence}`)
  const missing = yaml === undefined && needsSecrets ? tokenVariableProblem(env) : undefined
  if (missing !== undefined) problems.push(`environment: ${missing}`)
  if (yaml !== undefined && !yaml.readable) throw new ConfigError(problems)
  if (!isMapOrEmpty(written.raw))
    throw new ConfigError([`${name}: the file is ${kindOf(written.raw)}; expected a map of \`key: value\` pairs`])
  const context: Context = {
    report,
    catalogue,
    env,
    needsSecrets,
    strict: options.strict === true,
    isProgram: (program) => isProgram(program, cwd, env['PATH']),
    exists: (path) => syntaxOnly || existsHere(path),
    whyUnfit: (path, mostBytes) => (syntaxOnly ? null : whyUnfit(resolve(cwd, path), mostBytes)),
    read: (path) => readFile(resolve(cwd, path)),
    readFolder: (path) => readFolder(resolve(cwd, path)),
  }
  const settings = readSettings(written.raw, context)
  problems.push(...report.sentences())
  const { webConfig } = settings.server
  if (options.checkWeb === true && webConfig !== null && existsHere(webConfig)) {
    problems.push(...readWebSettings(webConfig, cwd).problems)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return { settings, source: name, ignoredPath: written.ignoredPath }
}

function locator(file: string, yaml: YamlFile | undefined, { variables }: FromEnvironment): Locate {
  return (path, at = 'value') => {
    const name = formatPath(path)
    const variable = variables.get(name)
    if (variable !== undefined || yaml === undefined) {
      return { prefix: 'environment', name: variable ?? name, order: Number.POSITIVE_INFINITY }
    }
    return locateIn(file, yaml)(path, at)
  }
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

function whyUnfit(path: string, mostBytes: number | undefined): string | null {
  try {
    assertRegularFile(path, mostBytes)
    return null
  } catch (error) {
    return error instanceof UnfitFile ? error.message : null
  }
}

/** True for an executable program: a name is looked up in PATH, a path is relative to `cwd`. */
function isProgram(name: string, cwd: string, path = '/usr/bin:/bin'): boolean {
  const places = /[\\/]/.test(name)
    ? [resolve(cwd, name)]
    : path.split(delimiter).map((folder) => join(folder === '' ? cwd : folder, name))
  return places.some(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
