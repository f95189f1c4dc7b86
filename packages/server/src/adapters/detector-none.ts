import { type Detector, DetectorError } from '../detection/detector.js'

const PROBLEM = 'This process does not look at pictures: PRINTWARDEN_ROLES has no "detector".'

/** The detector of a process that has not the role: pictures are shown, never judged. */
export function openNoDetector(): Detector {
  return {
    capacity: 1,
    detect: () => Promise.reject(new DetectorError('unavailable', 'this process does not detect')),
    ready: () => false,
    problem: () => PROBLEM,
    close: async () => {},
  }
}
