import type { Report } from '../yaml/report.ts'

/** What the readers of the web configuration's sections may ask of their surroundings. */
export interface WebContext {
  readonly report: Report
  /** Reads a file that the configuration names; a relative path starts from the folder of the configuration. */
  read(path: string): { readonly text: string } | { readonly why: string }
}
