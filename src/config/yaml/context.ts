import type { OwnCheckFolder } from '../own-checks/read-folder.ts'
import type { Catalogue } from '../settings.ts'
import type { Report } from './report.ts'

/** What every reader of a section may ask of its surroundings. */
export interface Context {
  readonly report: Report
  readonly catalogue: Catalogue
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether a variable or file that a secret comes from must be there. */
  readonly needsSecrets: boolean
  /** Whether a file that a secret comes from must hold something, and a command be there. */
  readonly diagnosesSecrets: boolean
  /** True when a program of this name or path can be run. */
  isProgram(name: string): boolean
  /** True when something is at this path (relative to the working directory). */
  exists(path: string): boolean
  /** Why what is there is no file that can be read to its end; null when it is one, or cannot be looked at. */
  whyUnfit(path: string, mostBytes?: number): string | null
  /** The text of a file; throws when it cannot be read. */
  read(path: string): string
  /** The files of own checks in this folder (relative to the working directory). */
  readFolder(path: string): OwnCheckFolder
}
