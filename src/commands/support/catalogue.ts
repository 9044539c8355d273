import { checks } from '../../checks/index.ts'
import type { Catalogue } from '../../config/settings.ts'
import { resources } from '../../resources/index.ts'

/** Resources and checks that the configuration refers to. */
export const catalogue: Catalogue = { resources, checks }
