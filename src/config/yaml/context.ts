import type { OwnCheckFolder } from '../own-checks/read-folder.ts'
import type { Catalogue } from '../settings.ts'
import type { Report } from './report.ts'

/** Paths are relative to the working directory. */
export interface Context {
  readonly report: Report
  readonly catalogue: Catalogue
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether variables and files of secrets must exist. */
  readonly needsSecrets: boolean
  /** Whether secrets must be bare and not empty, commands must exist and the folder of own checks must be readable. */
  readonly strict: boolean
  isProgram(name: string): boolean
  exists(path: string): boolean
  /** Why the path is no suitable regular file; null when it is one or cannot be examined. */
  whyUnfit(path: string, mostBytes?: number): string | null
  read(path: string): string
  readFolder(path: string): OwnCheckFolder
}
