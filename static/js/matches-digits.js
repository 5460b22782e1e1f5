// Numbers typed by digits: the nugget is taken as soon as no longer number can be meant, else after a short wait.
const WAIT = 700;

export function createDigits(painter, onNumber) {
  let digits = "";
  let waiting = null;
  return (key) => {
    clearTimeout(waiting);
    digits += key;
    const exact = painter.row(Number(digits));
    const fitting = painter.rows.filter((row) => String(row.number).startsWith(digits));
    const finish = () => {
      digits = "";
      onNumber(exact);
    };
    if (fitting.length <= 1) finish();
    else waiting = setTimeout(finish, WAIT);
  };
}
