import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { containsCertificate } from '../model/process/certificate-authorities.ts'
import { assertRegularFile, mostSecretBytes, UnfitFile } from '../model/process/files.ts'
import { bareSecretHint, secretProblem } from '../model/token-header.ts'
import type { Environment } from './source.ts'
import { whyUnreadable } from './yaml/errors.ts'

type Probe = (name: string) => string | null

/** Whether what the configuration names is there: each returns what is wrong with it, without secrets, or null. */
export interface Probes {
  readonly variable: Probe
  readonly secretFile: Probe
  readonly program: Probe
  readonly authorities: Probe
  readonly webConfig: Probe
  readonly database: Probe
  readonly folder: Probe
}

const nothing: Probe = () => null

/** For a file that belongs to another machine. */
export const noProbes: Probes = {
  variable: nothing,
  secretFile: nothing,
  program: nothing,
  authorities: nothing,
  webConfig: nothing,
  database: nothing,
  folder: nothing,
}

export interface Surroundings {
  readonly cwd: string
  readonly env: Environment
  /** Whether variables and files of secrets must be there. */
  readonly needsSecrets: boolean
  /** Also reports what can be repaired while the daemon runs. */
  readonly strict: boolean
  /** Of an absolute path. */
  readonly exists: (path: string) => boolean
  readonly readFile: (path: string) => string
  /** Why the folder of own checks cannot be read; null when it can. */
  readonly folderProblem: string | null
}

export function createProbes({ cwd, env, needsSecrets, strict, folderProblem, ...files }: Surroundings): Probes {
  const exists = (file: string) => files.exists(resolve(cwd, file))
  const read = (file: string) => files.readFile(resolve(cwd, file))

  function variable(name: string): string | null {
    const value = env[name]
    if (!needsSecrets) return null
    if (value === undefined || value.trim() === '')
      return `names ${shownVariable(name)}, which is ${value === undefined ? 'not set' : 'empty'}`
    const problem = strict ? secretProblem(value) : null
    return problem === null ? null : `names ${shownVariable(name)}, which ${problem}; ${bareSecretHint}`
  }

  function secretFile(file: string): string | null {
    if (mayBeToken(file) && !exists(file))
      return 'names no file (not shown, as it may be a token); expected the path of a file'
    if (!needsSecrets) return null
    if (!exists(file)) return `names the file \`${file}\`, which does not exist`
    const unfit = whyUnfit(resolve(cwd, file), mostSecretBytes)
    if (unfit !== null) return `names the file \`${file}\`: ${unfit}`
    const problem = strict ? whyBadSecret(() => read(file)) : null
    return problem === null ? null : `names the file \`${file}\`, which ${problem}`
  }

  function authorities(file: string): string | null {
    if (!exists(file)) return `names the file \`${file}\`, which does not exist`
    const why = whyUnfit(resolve(cwd, file)) ?? (needsSecrets ? whyNoAuthorities(() => read(file)) : null)
    return why === null ? null : `names the file \`${file}\`: ${why}`
  }

  return {
    variable,
    secretFile,
    authorities,
    // The message omits the program, because people write the secret there.
    program: (name) =>
      (strict || mayBeToken(name)) && !isProgram(name, cwd, env['PATH'])
        ? 'names a program that does not exist or that this user cannot execute'
        : null,
    webConfig: (file) => (exists(file) ? null : `names the file \`${file}\`, which does not exist`),
    // Other commands report the problem when they open the file.
    database: (file) => {
      const unfit = strict ? whyUnfit(resolve(cwd, file), Number.POSITIVE_INFINITY) : null
      return unfit === null ? null : `names \`${file}\`, but ${unfit}; expected the path of the database file`
    },
    folder: (folder) =>
      strict && folderProblem !== null
        ? `names the folder \`${folder}\`, which cannot be read: ${folderProblem}`
        : null,
  }
}

/**
 * True for a text that looks like a token, which people write where its source belongs: a long part with digits that is
 * no file name with an extension.
 */
export function mayBeToken(text: string): boolean {
  const isPath = /^(~|\.{0,2})\//.test(text)
  return !isPath && text.split('/').some((part) => /^(?=.*\d).{20,}$/s.test(part) && !/\.[a-z]{1,8}$/.test(part))
}

/** Shows only plausible variable names, because people paste tokens here. */
function shownVariable(name: string): string {
  const isPlausible = name.length < 20 || /^[A-Z][A-Z\d_]*$/.test(name)
  return isPlausible
    ? `the environment variable \`${name}\``
    : 'an environment variable (not shown, as it may be a token)'
}

function whyBadSecret(read: () => string): string | null {
  try {
    const problem = secretProblem(read())
    return problem === null || problem === 'is empty' ? problem : `${problem}; ${bareSecretHint}`
  } catch {
    return 'cannot be read'
  }
}

function whyNoAuthorities(read: () => string): string | null {
  try {
    return containsCertificate(read()) ? null : 'it contains no PEM certificate'
  } catch (error) {
    return whyUnreadable(error)
  }
}

/** Why the path is no suitable regular file; null when it is one or cannot be examined. */
function whyUnfit(path: string, mostBytes?: number): string | null {
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
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK)
      return statSync(place).isFile()
    } catch {
      return false
    }
  })
}
