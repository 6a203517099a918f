const VERHOEFF_D = [
  '0123456789',
  '1234067895',
  '2340178956',
  '3401289567',
  '4012395678',
  '5987604321',
  '6598710432',
  '7659821043',
  '8765932104',
  '9876543210',
];
const VERHOEFF_P = [
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
];

/** India: Aadhaar, Verhoeff; none starts with 0 or 1. */
export function isAadhaar(digits: string): boolean {
  if (digits.charCodeAt(0) < 50) return false;
  let check = 0;
  for (let index = 0; index < 12; index++) {
    const digit = Number(digits[11 - index]);
    check = Number(VERHOEFF_D[check]?.[Number(VERHOEFF_P[index % 8]?.[digit])]);
  }
  return check === 0;
}
