import type { InventoryGauge } from '../inventory-gauge.ts'
import { labelText } from '../label-text.ts'
import { fromMirror } from '../posture-gauge.ts'

const documents: InventoryGauge = {
  name: 'tenantwatch_documents',
  help: `Documents by upload status: those of documents.knownStatuses, "none" for null, "other" for the rest; absent before the first complete full sync. ${fromMirror}`,
  labelNames: ['upload_status'],
  async read(reader, { complete, settings }) {
    if (!complete) return []
    const known = settings.documents.knownStatuses.filter((status) => status !== null)
    const counts = new Map<string, number>([...known.map(labelText), 'none', 'other'].map((status) => [status, 0]))
    for (const { values, count } of await reader.countBy('documents', ['uploadStatus'])) {
      const [value] = values
      const status = value === null ? 'none' : labelText(known.find((name) => name === value) ?? 'other')
      counts.set(status, (counts.get(status) ?? 0) + count)
    }
    return [...counts].map(([upload_status, value]) => ({ labels: { upload_status }, value }))
  },
}

export const documentsGauges: readonly InventoryGauge[] = [documents]
