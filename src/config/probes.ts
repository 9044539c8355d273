import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { containsCertificate } from '../model/process/certificate-authorities.ts'
import { assertRegularFile, mostSecretBytes, readRegularFileSync, UnfitFile } from '../model/process/files.ts'
import { bareSecretHint, secretProblem } from '../model/token-header.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * What a configuration is loaded for. Each purpose verifies what the ones before it do, and more:
 *
 * - `syntax`: no file, variable or program that the configuration names, so that a file for another machine is valid.
 * - `read`: no secret is where its source belongs; own checks are valid.
 * - `request`: variables and files of secrets are there.
 * - `serve`: the web configuration file is valid.
 * - `check`: also what can be fixed while the daemon runs, such as an empty secret or a missing program.
 */
export type Purpose = (typeof purposes)[number]

const purposes = ['syntax', 'read', 'request', 'serve', 'check'] as const

export function isAtLeast(purpose: Purpose, least: Purpose): boolean {
  return purposes.indexOf(purpose) >= purposes.indexOf(least)
}

/** What the configuration names outside itself. */
export type Named = 'variable' | 'secretFile' | 'program' | 'authorities' | 'webConfig'

/** What is wrong with something that the configuration names, without secrets; null = nothing. */
export type Probe = (what: Named, name: string) => string | null

export interface Surroundings {
  readonly cwd: string
  readonly env: Environment
  readonly purpose: Purpose
}

export function createProbe({ cwd, env, purpose }: Surroundings): Probe {
  if (purpose === 'syntax') return () => null
  const needsSecrets = isAtLeast(purpose, 'request')
  const strict = purpose === 'check'
  const pathOf = (name: string) => resolve(cwd, name)
  const gone = (name: string) => `names the file \`${name}\`, which does not exist`
  const probes: Readonly<Record<Named, (name: string) => string | null>> = {
    variable(name) {
      const value = env[name]
      if (!needsSecrets && (value !== undefined || isPlausible(name))) return null
      if (value === undefined || value.trim() === '')
        return `names ${shownVariable(name)}, which is ${value === undefined ? 'not set' : 'empty'}`
      const problem = strict ? secretProblem(value) : null
      return problem === null ? null : `names ${shownVariable(name)}, which ${problem}; ${bareSecretHint}`
    },
    secretFile(name) {
      const path = pathOf(name)
      if (mayBeToken(name) && !exists(path))
        return 'names no file (not shown, as it may be a token); expected the path of a file'
      if (!needsSecrets) return null
      if (!exists(path)) return gone(name)
      const unfit = whyUnfit(path, mostSecretBytes)
      if (unfit !== null) return `names the file \`${name}\`: ${unfit}`
      const text = strict ? textOf(path) : null
      const problem = text === undefined ? 'cannot be read' : text === null ? null : secretProblem(text)
      if (problem === null) return null
      return `names the file \`${name}\`, which ${problem}${/^contains/.test(problem) ? `; ${bareSecretHint}` : ''}`
    },
    authorities(name) {
      const path = pathOf(name)
      if (!needsSecrets) return null
      if (!exists(path)) return gone(name)
      const isUseless = !containsCertificate(textOf(path) ?? '')
      const why = whyUnfit(path) ?? (isUseless ? 'it contains no PEM certificate, or cannot be read' : null)
      return why === null ? null : `names the file \`${name}\`: ${why}`
    },
    // The message omits the program, because people write the secret there.
    program: (name) =>
      (strict || mayBeToken(name)) && !isProgram(name, cwd, env['PATH'])
        ? 'names a program that does not exist or that this user cannot execute'
        : null,
    webConfig: (name) => (!needsSecrets || exists(pathOf(name)) ? null : gone(name)),
  }
  return (what, name) => probes[what](name)
}

/**
 * True for a text that looks like a token, which people write where its source belongs: a URL, or a long part with digits
 * that is no file name with an extension.
 */
export function mayBeToken(text: string): boolean {
  const isPath = /^(~|\.{0,2})\//.test(text)
  return (
    text.includes('://') ||
    (!isPath && text.split('/').some((part) => /^(?=.*\d).{20,}$/s.test(part) && !/\.[a-z]{1,8}$/.test(part)))
  )
}

/** Only plausible names of variables are shown, because people paste tokens here. */
function isPlausible(name: string): boolean {
  return name.length < 20 || /^[A-Z][A-Z\d_]*$/.test(name) || /^[a-z]+(?:_[a-z]+)+$/.test(name)
}

function shownVariable(name: string): string {
  return isPlausible(name)
    ? `the environment variable \`${name}\``
    : 'an environment variable (not shown, as it may be a token)'
}

export function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // Without permission to stat, the later read reports the error.
    return true
  }
}

/** Undefined when it cannot be read. */
function textOf(path: string): string | undefined {
  try {
    return readRegularFileSync(path).toString()
  } catch {
    return undefined
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
