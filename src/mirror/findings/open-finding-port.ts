import type { Severity } from '../../model/severity.ts'
import type { WaiverTerms } from './waiver-port.ts'

/** An open finding without its evidence. */
export interface OpenFinding {
  readonly fingerprint: string
  readonly entityType: string
  readonly entityId: string
  readonly severity: Severity
}

/** What names a few of the open findings, however many there are. */
export interface OpenFindingStore {
  /**
   * Open findings of a check and severity, waived ones too, in batches: those first seen longest ago in front, then by
   * fingerprint. Whoever stops early leaves the others unread.
   *
   * @param lapsedUnder only those that this waiver covers no longer; all of these are read for each batch.
   */
  openFindings(
    tenantId: number,
    check: string,
    severity: Severity,
    lapsedUnder?: WaiverTerms,
  ): AsyncIterable<readonly OpenFinding[]>
  /** Another number after every change by this engine of the findings of a check, or of what waivers accept of them. */
  findingVersion(tenantId: number, check: string): number
}
