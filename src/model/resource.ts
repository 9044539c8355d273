/** Where the configuration says how much `updatedAfter` overlaps what was read: section and key, in milliseconds. */
export type OverlapSetting = readonly ['documents', 'overlapMs']
