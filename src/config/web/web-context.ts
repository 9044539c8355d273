import type { Report } from '../yaml/report.ts'

export interface WebContext {
  readonly report: Report
  /** Reads a file; a relative path starts from the folder of the configuration. */
  read(path: string): { readonly text: string } | { readonly why: string }
}
