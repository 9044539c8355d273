import { readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readTextFile } from '../model/process/files.ts'
import { isObject } from '../model/text/json.ts'
import { type KeyPath, kindOf, type Locate, type Mistake, whyUnreadable } from './mistakes.ts'
import { readYaml } from './yaml-file.ts'

interface WrittenWaiver {
  readonly waiver: unknown
  readonly locate: Locate
}

export interface WaiverFiles {
  readonly waivers: readonly WrittenWaiver[]
  readonly problems: readonly (string | Mistake)[]
}

/** The folder of further waivers, beside a configuration file. */
export function waiverFolder(file: string): string {
  return join(dirname(file), 'waivers.d')
}

/** The waivers of `*.yaml` and `*.yml` in a folder, by name of the file (docs/waivers.md#waivers-in-files-of-their-own). */
export function readWaiverFiles(folder: string, cwd: string): WaiverFiles {
  const waivers: WrittenWaiver[] = []
  const problems: (string | Mistake)[] = []
  for (const [index, name] of namesIn(resolve(cwd, folder), (why) => problems.push(`${folder}: ${why}`)).entries()) {
    const path = join(folder, name)
    try {
      const { raw, mistakes, locate } = readYaml(path, readTextFile(resolve(cwd, path)))
      problems.push(...mistakes)
      const add = (waiver: unknown, base: KeyPath) => {
        // Mistakes are listed by file.
        const inFile = ({ order, ...place }: ReturnType<Locate>) => ({ ...place, order: (index + 1) * 2 ** 32 + order })
        waivers.push({ waiver, locate: (rest, at) => inFile(locate([...base, ...rest], at)) })
      }
      if (Array.isArray(raw)) for (const [i, waiver] of raw.entries()) add(waiver, [i])
      else if (isObject(raw)) add(raw, [])
      else if (mistakes.length === 0 && raw !== null)
        problems.push(`${path}:1:1: the file is ${kindOf(raw)}; expected a waiver or a list of waivers`)
    } catch (error) {
      problems.push(`${path}: ${whyUnreadable(error)}`)
    }
  }
  return { waivers, problems }
}

/** None without the folder. Hidden files are skipped: mounted configurations contain them. */
function namesIn(folder: string, fail: (why: string) => void): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^[^.].*\.ya?ml$/i.test(name))
      .sort()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) fail(whyUnreadable(error))
    return []
  }
}
